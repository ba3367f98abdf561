// Command probe does one of the things that a Go program may ask of its host, and prints what came of it.
package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	mathrand "math/rand"
	"os"
	"strconv"
	"strings"
	"syscall/js"
	"time"
)

var probes = map[string]func(args []string){
	"exit": func(args []string) {
		code, _ := strconv.Atoi(args[0])
		os.Exit(code)
	},
	"panic":    func([]string) { panic("out of ideas") },
	"deadlock": func([]string) { <-make(chan int) },
	"spin": func([]string) {
		for n := 0; ; n++ {
			if n < 0 {
				return
			}
		}
	},
	"chance": chance,
	"timers": timers,
	"files":  files,
	"values": values,
	"grow":   grow,
	"born":   bornAt,
}

// What packages do with the time while they are initialized, as libraries of Kubernetes do it.
var (
	born = time.Now()
	dice = mathrand.New(mathrand.NewSource(born.UnixNano()))
	age  = func() chan time.Duration {
		told := make(chan time.Duration, 1)
		go func() {
			time.Sleep(2500 * time.Millisecond)
			told <- time.Since(born)
		}()
		return told
	}()
	letters = map[string]int{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8, "i": 9}
)

func bornAt([]string) {
	order := ""
	for key := range letters {
		order += key
	}
	chance := make([]byte, 4)
	rand.Read(chance)
	fmt.Println(born.UTC().Format(time.RFC3339Nano), time.Since(born), dice.Int63(), order, chance)
	fmt.Println("aged", <-age)
}

func main() {
	probes[os.Args[1]](os.Args[2:])
}

// Random bytes, the order of a map, the choice of a select, and the time: all that differs between two runs elsewhere.
func chance([]string) {
	bytes := make([]byte, 70_000)
	rand.Read(bytes)
	order := []string{}
	for key := range map[string]int{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8, "i": 9} {
		order = append(order, key)
	}
	ready, chosen := make(chan int), ""
	close(ready)
	for range 20 {
		select {
		case <-ready:
			chosen += "x"
		case <-ready:
			chosen += "y"
		}
	}
	fmt.Println(bytes[:4], bytes[69_990:], strings.Join(order, ""), chosen, time.Now().UTC().Format(time.RFC3339Nano))
}

// Goroutines that sleep, a ticker, and a timer that is stopped before its time.
func timers([]string) {
	begun, done := time.Now(), make(chan string)
	say := func(what string) { done <- fmt.Sprint(what, " ", time.Since(begun).Round(time.Millisecond)) }
	never := time.AfterFunc(time.Minute, func() { say("never") })
	for _, seconds := range []int{3, 1, 2} {
		go func() {
			time.Sleep(time.Duration(seconds) * time.Second)
			say(fmt.Sprint("slept ", seconds))
		}()
	}
	ticker := time.NewTicker(1500 * time.Millisecond)
	go func() {
		for range 3 {
			<-ticker.C
			say("tick")
		}
	}()
	for range 6 {
		fmt.Println(<-done)
	}
	fmt.Println("stopped", never.Stop())
}

func files(args []string) {
	text, err := os.ReadFile(args[0])
	fmt.Printf("%q %v\n", text, err)
	_, err = os.ReadFile("/etc/passwd")
	fmt.Println(errors.Is(err, fs.ErrNotExist), err)
	fmt.Println(os.WriteFile("/tmp/new", nil, 0o644))
	fmt.Println(os.Mkdir("/tmp/folder", 0o755))
	fmt.Println(os.Getenv("GREETING"), os.Getenv("KUBERNETES_SERVICE_HOST"))
	file, _ := os.Open(args[0])
	defer file.Close()
	piece := make([]byte, 3)
	for range 2 {
		n, err := file.Read(piece)
		fmt.Printf("%s %v\n", piece[:n], err)
	}
	status, err := os.Stat(args[0])
	fmt.Println(status.Size(), status.IsDir(), err)
	fmt.Fprint(os.Stderr, "a line ")
	fmt.Fprintln(os.Stderr, "in pieces: ä")
}

// Values of JavaScript: calls there and back again, what is thrown, members, bytes, and identities that are used again.
func values([]string) {
	global := js.Global()
	list := global.Get("Array").New(js.ValueOf(1.5), "zwei", true, js.Null(), js.Undefined())
	fmt.Println(list.Length(), list.Index(0).Float(), list.Index(1).String(), list.Index(2).Bool(), list.Index(3).IsNull(), list.Index(4).IsUndefined())
	double := js.FuncOf(func(this js.Value, args []js.Value) any { return args[0].Int() * 2 })
	doubled := list.Call("constructor", 3).Call("fill", 4).Call("map", double)
	fmt.Println(doubled.Call("join", "+").String(), doubled.InstanceOf(global.Get("Array")), doubled.InstanceOf(global.Get("Date")))
	double.Release()
	func() {
		defer func() { fmt.Println("caught:", recover()) }()
		global.Get("JSON").Call("parse", "{")
	}()
	object := global.Get("Object").New()
	object.Set("a", 0)
	fmt.Println(object.Get("a").Int(), object.Get("a").Type(), object.Get("b").IsUndefined())
	object.Delete("a")
	fmt.Println(object.Get("a").IsUndefined(), global.Get("Math").Call("max").Float(), js.ValueOf(1<<40).Float())
	bytes := global.Get("Uint8Array").New(4)
	fmt.Println(js.CopyBytesToJS(bytes, []byte{1, 2, 3}), bytes.Index(2).Int())
	into := make([]byte, 2)
	fmt.Println(js.CopyBytesToGo(into, bytes), into)
	list.SetIndex(0, "eins")
	fmt.Println(list.Index(0).String(), list.Equal(list), global.Get("process").Get("argv0").String())
}

// Memory that grows lies elsewhere, and texts of all lengths arrive.
func grow([]string) {
	text := strings.Repeat("ä", 1<<20)
	joined := js.Global().Get("Array").New(text, text).Call("join", "").String()
	fmt.Println(len(joined), joined == text+text)
}
