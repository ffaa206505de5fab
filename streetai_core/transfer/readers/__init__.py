"""One module for each program whose files can be imported: JSON or rows in, records out."""
