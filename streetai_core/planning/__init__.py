"""What a public operation will change: rows and arrays in, `Changes` out. Nothing here writes."""
