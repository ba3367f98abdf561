// Command outlaw does what the simulation has none of, or what has no end.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"time"
)

func main() {
	if os.Args[1] == "local" {
		local()
		return
	}
	breakRules(os.Args[1])
}

// The network of the program itself: a port that answers, and one where nobody listens.
func local() {
	listener, err := net.Listen("tcp", "127.0.0.1:8090")
	fmt.Println(err)
	go func() {
		conn, _ := listener.Accept()
		fmt.Fprint(conn, "hello")
		conn.Close()
	}()
	conn, err := net.Dial("tcp", "127.0.0.1:8090")
	fmt.Println(err)
	text, err := io.ReadAll(conn)
	fmt.Println(string(text), err)
	_, err = net.Dial("tcp", "127.0.0.1:8091")
	fmt.Println(err)
}

// After two seconds.
func breakRules(how string) {
	fmt.Println("begun")
	time.Sleep(2 * time.Second)
	switch how {
	case "socket":
		fmt.Println(net.Dial("tcp", "192.0.2.1:80"))
	case "bound-socket":
		fmt.Println(net.DialTCP("tcp", nil, &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80}))
	case "name":
		fmt.Println(net.Dial("tcp", "example.com:443"))
	case "datagram":
		fmt.Println(net.Dial("udp", "192.0.2.1:53"))
	case "page":
		fmt.Println(http.Get("http://example.com/"))
	case "process":
		fmt.Println(exec.Command("true").Run())
	case "panic":
		go panic("out of ideas in a goroutine")
	case "timer":
		time.AfterFunc(time.Second, func() { panic("out of ideas in a timer") })
	case "leak":
		for {
			for range 1_001 {
				go time.Sleep(time.Hour)
			}
			time.Sleep(time.Second)
		}
	case "yield":
		for {
			runtime.Gosched()
		}
	case "exit":
		os.Exit(4)
	case "end":
		return
	}
	select {}
}
