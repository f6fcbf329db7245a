// Command pause holds a pod's namespaces open until the pod is stopped.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	// As the pod's first process it inherits orphans; reaping them keeps the process table clean.
	signal.Ignore(syscall.SIGCHLD)
	<-stop
}
