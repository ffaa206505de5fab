"""Tests of `streetai_llamaindex` with the real framework; only language models are scripted."""
