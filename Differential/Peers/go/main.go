// Judges trust cases (NDJSON on standard input) by crypto/x509; one answer a line, in order.
package main

import (
	"bufio"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

type trustCase struct {
	ID      string   `json:"id"`
	Host    string   `json:"host"`
	Chain   []string `json:"chain"`
	Anchors []string `json:"anchors"`
	Time    string   `json:"time"`
}

type answer struct {
	ID       string `json:"id"`
	Accepted bool   `json:"accepted"`
	Error    string `json:"error"`
}

func read(text string) (*x509.Certificate, error) {
	der, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

func judge(one trustCase) error {
	moment, err := time.Parse(time.RFC3339, one.Time)
	if err != nil {
		return err
	}
	anchors, intermediates := x509.NewCertPool(), x509.NewCertPool()
	for _, text := range one.Anchors {
		anchor, err := read(text)
		if err != nil {
			return fmt.Errorf("unreadable anchor: %w", err)
		}
		anchors.AddCert(anchor)
	}
	var leaf *x509.Certificate
	for index, text := range one.Chain {
		certificate, err := read(text)
		if err != nil {
			return fmt.Errorf("unreadable: %w", err)
		}
		if index == 0 {
			leaf = certificate
		} else {
			intermediates.AddCert(certificate)
		}
	}
	if leaf == nil {
		return fmt.Errorf("no leaf")
	}
	host := one.Host
	_, err = leaf.Verify(x509.VerifyOptions{
		DNSName: host, Roots: anchors, Intermediates: intermediates, CurrentTime: moment,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	return err
}

func main() {
	var cases []trustCase
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<26)
	for lines.Scan() {
		var one trustCase
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(2)
		}
		cases = append(cases, one)
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}

	answers := make([]answer, len(cases))
	var group sync.WaitGroup
	workers := runtime.NumCPU()
	for worker := 0; worker < workers; worker++ {
		group.Add(1)
		go func(first int) {
			defer group.Done()
			for index := first; index < len(cases); index += workers {
				answers[index] = answer{ID: cases[index].ID, Accepted: true}
				if err := judge(cases[index]); err != nil {
					answers[index].Accepted = false
					answers[index].Error = err.Error()
				}
			}
		}(worker)
	}
	group.Wait()

	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	for _, one := range answers {
		if err := encoder.Encode(one); err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(2)
		}
	}
}
