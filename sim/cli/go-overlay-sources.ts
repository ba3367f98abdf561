/** Go sources that are added to packages of the standard library for the simulation: see `go-overlay.ts`. */

/** The host hears of the moment before `main`, with everything at rest; chance is drawn anew from then on. */
export const STARTED = `//go:build js && wasm

package runtime

//go:wasmimport gojs kubesim.started
func kubesimHostStarted()

var kubesimNote note
var kubesimWaits bool

func kubesimGoesOn() {
	if kubesimWaits {
		kubesimWaits = false
		notewakeup(&kubesimNote)
	}
}

func kubesimStarted() {
	kubesimHostStarted()
	noteclear(&kubesimNote)
	kubesimWaits = true
	notetsleepg(&kubesimNote, -1)
	var seed [32]byte
	if readRandom(seed[:]) == len(seed) {
		lock(&globalRand.lock)
		globalRand.state.Init(seed)
		unlock(&globalRand.lock)
		mrandinit(getg().m)
	}
}
`;

/** The host hears of ports that the program listens on, and of their end. */
export const NET_PORTS = `//go:build js && wasm

package net

import (
	"syscall"
	"syscall/js"
)

func kubesimListens(fd *netFD) { kubesimTells("listen", fd) }

func kubesimCloses(fd *netFD) { kubesimTells("unlisten", fd) }

func kubesimTells(what string, fd *netFD) {
	addr, ok := fd.laddr.(*TCPAddr)
	host := js.Global().Get("kubesim")
	if !ok || addr == nil || fd.sotype != syscall.SOCK_STREAM || host.Type() != js.TypeObject {
		return
	}
	host.Call(what, addr.Port, addr.String())
}
`;

/**
 * Calls from outside are made within the program, over its own network, as a client of its own would make them: with TLS
 * where the port wants it, whose certificate is taken as it is.
 */
export const HTTP_PORTS = `//go:build js && wasm

package http

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"syscall/js"
	"time"
)

var kubesimSchemes = map[string]string{}

var kubesimTransport = &Transport{
	TLSClientConfig:    &tls.Config{InsecureSkipVerify: true},
	TLSNextProto:       map[string]func(string, *tls.Conn) RoundTripper{},
	DisableCompression: true,
}

func init() {
	if host := js.Global().Get("kubesim"); host.Type() == js.TypeObject {
		host.Call("answerBy", js.FuncOf(func(_ js.Value, args []js.Value) any {
			go kubesimAnswer(args[0])
			return nil
		}))
	}
}

// The protocol that an address speaks: asked once, by a handshake that a server without TLS takes for nonsense.
func kubesimSchemeOf(address string) (string, error) {
	if known, ok := kubesimSchemes[address]; ok {
		return known, nil
	}
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	scheme := "https"
	var notTLS tls.RecordHeaderError
	if errors.As(tls.Client(conn, kubesimTransport.TLSClientConfig).Handshake(), &notTLS) {
		scheme = "http"
	}
	kubesimSchemes[address] = scheme
	return scheme, nil
}

func kubesimAnswer(call js.Value) {
	address := call.Get("address").String()
	scheme, err := kubesimSchemeOf(address)
	if err != nil {
		call.Call("broken", err.Error())
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	gone := js.FuncOf(func(js.Value, []js.Value) any { cancel(); return nil })
	call.Call("whenGone", gone)
	defer func() {
		call.Call("whenGone", js.Undefined())
		gone.Release()
		cancel()
	}()
	body := make([]byte, call.Get("body").Get("length").Int())
	js.CopyBytesToGo(body, call.Get("body"))
	request, err := NewRequestWithContext(ctx, call.Get("method").String(), scheme+"://"+address+call.Get("path").String(), bytes.NewReader(body))
	if err != nil {
		call.Call("broken", err.Error())
		return
	}
	headers := call.Get("headers")
	for index := 0; index+1 < headers.Length(); index += 2 {
		name, value := headers.Index(index).String(), headers.Index(index+1).String()
		if strings.EqualFold(name, "host") {
			request.Host = value
		} else {
			request.Header.Add(name, value)
		}
	}
	response, err := kubesimTransport.roundTrip(request)
	if err != nil {
		call.Call("broken", err.Error())
		return
	}
	defer response.Body.Close()
	beginning := []any{response.StatusCode}
	for name, values := range response.Header {
		beginning = append(beginning, strings.ToLower(name), strings.Join(values, ", "))
	}
	call.Call("begin", beginning...)
	buffer := make([]byte, 65536)
	for {
		count, err := response.Body.Read(buffer)
		if count > 0 {
			piece := uint8Array.New(count)
			js.CopyBytesToJS(piece, buffer[:count])
			call.Call("piece", piece)
		}
		if err == io.EOF {
			call.Call("end")
			return
		}
		if err != nil {
			call.Call("broken", err.Error())
			return
		}
	}
}
`;

/** The host hears of each address that is dialled, before anybody looks for it. */
export const NET_DIALS = `//go:build js && wasm

package net

import "syscall/js"

func kubesimDials(network, address string) {
	host := js.Global().Get("kubesim")
	if host.Type() == js.TypeObject && host.Get("dial").Type() == js.TypeFunction {
		host.Call("dial", network, address)
	}
}
`;

/** The host hears of processes that are to be started. */
export const EXEC_STARTS = `//go:build js && wasm

package exec

import "syscall/js"

func kubesimStarts(path string) {
	host := js.Global().Get("kubesim")
	if host.Type() == js.TypeObject && host.Get("startProcess").Type() == js.TypeFunction {
		host.Call("startProcess", path)
	}
}
`;

/** The host hears of timers that wait by the thousand: all of them are one timer for it. */
export const TIMERS = `//go:build js && wasm

package runtime

const kubesimMostTimers = 10000

//go:wasmimport gojs kubesim.timers
func kubesimHostTimers(count int32)

func kubesimCountsTimers() {
	if count := len(getg().m.p.ptr().timers.heap); count > kubesimMostTimers {
		kubesimHostTimers(int32(count))
	}
}
`;
