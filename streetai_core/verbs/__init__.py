"""The verbs of a memory, one module a family; `Memory` has them all."""
