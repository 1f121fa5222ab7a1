module belay.test/peer

go 1.19
