Policy = 7
