package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// initialize is the first process of a namespace of processes. It prints a line once it runs, and ends when standard input
// does, whereupon the kernel kills every other process of the namespace. Processes whose parent has ended become its
// children, so it waits for them.
func initialize() {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	go reap(ended)
	fmt.Println("ready")
	endWithParent()
}

// reap waits for all children that have ended, each time that one did: signals of several are merged.
func reap(ended <-chan os.Signal) {
	for range ended {
		for {
			var status syscall.WaitStatus
			if pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil); pid <= 0 || err != nil {
				break
			}
		}
	}
}
