@main
struct BelayCommand {
    static func main() {}
}
