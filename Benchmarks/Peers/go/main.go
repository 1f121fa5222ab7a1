// Evaluates chains by crypto/x509 as often as it is told to, and says what that took.
//
// Arguments: a file with a certificate a line (base64 of DER: root, intermediate, leaves), and the host. The first line of output
// names the verifier. Then each line of input, `cold|warm|known COUNT`, gets a line: seconds of processor time, seconds by the clock.
package main

import (
	"bufio"
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
)

func check(err error) {
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

func parse(der []byte) *x509.Certificate {
	certificate, err := x509.ParseCertificate(der)
	check(err)
	return certificate
}

func pool(certificate *x509.Certificate) *x509.CertPool {
	made := x509.NewCertPool()
	made.AddCert(certificate)
	return made
}

// All threads of the process, the garbage collector's too.
func processorTime() float64 {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	check(err)
	host := os.Args[2]
	var ders [][]byte
	for _, line := range bytes.Fields(text) {
		der, err := base64.StdEncoding.DecodeString(string(line))
		check(err)
		ders = append(ders, der)
	}
	root, intermediate, leaves := ders[0], ders[1], ders[2:]

	verify := func(leaf *x509.Certificate, roots, intermediates *x509.CertPool) {
		_, err := leaf.Verify(x509.VerifyOptions{
			DNSName: host, Roots: roots, Intermediates: intermediates,
			KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		})
		check(err)
	}
	roots, intermediates := pool(parse(root)), pool(parse(intermediate))
	known := make([]*x509.Certificate, len(leaves))
	for index, leaf := range leaves {
		known[index] = parse(leaf)
	}
	jobs := map[string]func(index int){
		"cold": func(index int) {
			verify(parse(leaves[index]), pool(parse(root)), pool(parse(intermediate)))
		},
		"warm":  func(index int) { verify(parse(leaves[index]), roots, intermediates) },
		"known": func(index int) { verify(known[index], roots, intermediates) },
	}

	fmt.Printf("crypto/x509 of %s\n", runtime.Version())
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		var name string
		var count int
		_, err := fmt.Sscan(input.Text(), &name, &count)
		check(err)
		job, found := jobs[name]
		if !found {
			check(fmt.Errorf("there is no job %q", name))
		}
		clock, processor := time.Now(), processorTime()
		for index := 0; index < count; index++ {
			job(index % len(leaves))
		}
		fmt.Printf("%.9f %.9f\n", processorTime()-processor, time.Since(clock).Seconds())
	}
	check(input.Err())
}
