"""Providers' APIs on this machine, as far as the tests speak them."""
