module belay.test/http-peer

go 1.22
