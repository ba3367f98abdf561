module example.com/website-operator

go 1.23
