module example.com/outlaw

go 1.23
