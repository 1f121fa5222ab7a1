import BelayTrust

/// Tells domains whose hosts belong to many owners.
struct SharedDomains {
    private let suffixes = PublicSuffixList()

    /// Whether everybody can have a host below `domain`.
    func isShared(_ domain: String) -> Bool {
        let name = domain.hasSuffix(".") ? String(domain.dropLast()) : domain
        return suffixes.isPublicSuffix(name) || Self.hosting.contains(name)
    }

    /// A bare top-level domain: one label, but not those that no registry sells.
    func isTopLevel(_ domain: String) -> Bool {
        !domain.isEmpty && !domain.contains(".") && !["local", "onion", "localhost"].contains(domain)
            && suffixes.isPublicSuffix(domain)
    }

    /// Domains of hosting and content delivery that the list of public suffixes does not have, or has only in part (regions of a cloud
    /// are on it, the cloud's own domain is not).
    private static let hosting: Set<String> = [
        "akadns.net", "akamai.net", "akamaiedge.net", "akamaihd.net", "akamaized.net", "aliyuncs.com", "amazonaws.com",
        "amazonaws.com.cn", "appspot.com", "awsapprunner.com", "azure-api.net", "azure.com", "azureedge.net",
        "azurefd.net", "azurewebsites.net", "b-cdn.net", "backblazeb2.com", "bitbucket.io", "blob.core.windows.net",
        "blogspot.com", "cdn77.org", "cloudapp.azure.com", "cloudapp.net", "cloudfront.net", "cloudfunctions.net",
        "core.windows.net", "digitaloceanspaces.com", "dyndns.org", "edgekey.net", "edgesuite.net",
        "elasticbeanstalk.com",
        "fastly.net", "fastlylb.net", "firebaseapp.com", "firebaseio.com", "fly.dev", "force.com", "github.io",
        "githubusercontent.com", "gitlab.io", "googleapis.com", "googleusercontent.com", "herokuapp.com", "kxcdn.com",
        "linodeobjects.com", "myqcloud.com", "myshopify.com", "netlify.app", "ngrok.io", "ngrok.app", "no-ip.org",
        "onrender.com", "oraclecloud.com", "pages.dev", "qiniucdn.com", "r2.dev", "railway.app", "rackcdn.com",
        "run.app", "stackpathdns.com", "supabase.co", "trafficmanager.net", "ts.net", "vercel.app", "wasabisys.com",
        "web.app", "windows.net", "wordpress.com", "workers.dev",
    ]
}
