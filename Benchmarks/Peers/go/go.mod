module belay.test/bench

go 1.19
