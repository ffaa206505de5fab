"""What every way of using a memory from LangChain must do alike, in every style of call."""
