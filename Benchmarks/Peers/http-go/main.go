// http-peer IN_FLIGHT SECONDS PROTOCOL ANCHORS SIZE URL
//
// The same job as Peers/curl, with Go's net/http. ANCHORS is a file; sessions are resumed where the server allows it.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

func fail(what string, err any) {
	fmt.Fprintf(os.Stderr, "http-peer: %s: %v\n", what, err)
	os.Exit(1)
}

func processor() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		fail("getrusage", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func peakKilobytes() int {
	status, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(status), "\n") {
		var peak int
		if _, err := fmt.Sscanf(line, "VmHWM: %d", &peak); err == nil {
			return peak
		}
	}
	return 0
}

func client(inFlight int, protocol string, anchors string) *http.Client {
	pem, err := os.ReadFile(anchors)
	if err != nil {
		fail("anchors", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		fail("anchors", "no certificate in it")
	}
	transport := &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: roots, ClientSessionCache: tls.NewLRUClientSessionCache(0)},
		MaxIdleConns:        inFlight,
		MaxIdleConnsPerHost: inFlight,
		DisableCompression:  true,
		ForceAttemptHTTP2:   protocol == "2",
	}
	if protocol != "2" {
		transport.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	}
	return &http.Client{Transport: transport}
}

func main() {
	if len(os.Args) != 7 {
		fail("usage", "http-peer IN_FLIGHT SECONDS PROTOCOL ANCHORS SIZE URL")
	}
	inFlight, _ := strconv.Atoi(os.Args[1])
	seconds, _ := strconv.ParseFloat(os.Args[2], 64)
	size, _ := strconv.ParseInt(os.Args[5], 10, 64)
	url := os.Args[6]
	session := client(inFlight, os.Args[3], os.Args[4])

	get := func() {
		response, err := session.Get(url)
		if err != nil {
			fail("transfer", err)
		}
		count, err := io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != 200 || count != size {
			fail("response", "not the file that was expected")
		}
	}
	if seconds <= 0 {
		get()
		return
	}
	var responses atomic.Int64
	for slot := 0; slot < inFlight; slot++ {
		go func() {
			for {
				get()
				responses.Add(1)
			}
		}()
	}
	length := time.Duration(seconds * float64(time.Second))
	time.Sleep(length / 3)
	for responses.Load() < int64(inFlight) {
		time.Sleep(10 * time.Millisecond)
	}
	start, before, used := time.Now(), responses.Load(), processor()
	time.Sleep(length)
	fmt.Printf("%d %.6f %.6f %d\n", responses.Load()-before, time.Since(start).Seconds(), (processor() - used).Seconds(), peakKilobytes())
}
