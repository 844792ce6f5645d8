// A gateway of the Go library, in front of the same backend as ours. It prints its port, and exits when its standard
// input ends.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/grpc-ecosystem/grpc-gateway/runtime"
	"google.golang.org/grpc"

	"workspacev1"
)

func main() {
	marshaler := &runtime.JSONPb{OrigName: false, EmitDefaults: true}
	mux := runtime.NewServeMux(runtime.WithMarshalerOption(runtime.MIMEWildcard, marshaler))
	options := []grpc.DialOption{grpc.WithInsecure()}
	backend := os.Getenv("BACKEND")
	if err := workspacev1.RegisterWorkspaceServiceHandlerFromEndpoint(context.Background(), mux, backend, options); err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	log.Fatal(http.Serve(listener, mux))
}
