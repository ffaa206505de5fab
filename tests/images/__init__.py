"""Tests of images, from which large memories are opened."""
