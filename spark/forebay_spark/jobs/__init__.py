"""The jobs, one file each; `python -m forebay_spark` lists them."""
