module example.com/kubesim

go 1.21
