"""What plug-in authors need to test their own stores and encoders."""
