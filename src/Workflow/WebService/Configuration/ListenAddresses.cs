using System.Net;

namespace Workflow.WebService.Configuration;

/// <summary>Where the service listens, as it is configured.</summary>
internal static class ListenAddresses
{
    /// <summary>The configured addresses that other machines may reach.</summary>
    public static IEnumerable<string> OffLoopback(IConfiguration configuration)
    {
        var urls = Split(configuration["urls"]).Concat(
            configuration.GetSection("Kestrel:Endpoints").GetChildren().Select(endpoint => endpoint["Url"])
                .OfType<string>());
        // A port without a host is open on every address.
        var ports = new[] { "http_ports", "https_ports" }.SelectMany(key =>
            Split(configuration[key]).Select(port => $"{key}={port}"));
        return urls.Where(url => !IsLoopback(url)).Concat(ports);
    }

    /// <summary>
    /// The address at which others reach what listens on these, plain HTTP first; null where every one stands for all
    /// addresses of the machine.
    /// </summary>
    public static Uri? Reachable(IEnumerable<string> urls) => urls
        .Select(url => Uri.TryCreate(url, UriKind.Absolute, out var address) ? address : null).OfType<Uri>()
        .Where(address => IPAddress.TryParse(address.DnsSafeHost, out var ip)
            ? !ip.Equals(IPAddress.Any) && !ip.Equals(IPAddress.IPv6Any)
            : address.DnsSafeHost is not ("+" or "*" or "unix" or "pipe"))
        .OrderBy(address => address.Scheme == Uri.UriSchemeHttp ? 0 : 1).FirstOrDefault();

    private static string[] Split(string? list) =>
        (list ?? "").Split(';', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);

    /// <summary>
    /// By the parser that Kestrel itself goes by: what that does not read, or binds to every address, is none.
    /// </summary>
    private static bool IsLoopback(string url)
    {
        BindingAddress address;
        try
        {
            address = BindingAddress.Parse(url);
        }
        catch (FormatException)
        {
            return false; // Kestrel refuses it at the start, with the reason.
        }

        return address.IsUnixPipe || address.IsNamedPipe
            || address.Host.Equals("localhost", StringComparison.OrdinalIgnoreCase)
            || (IPAddress.TryParse(address.Host, out var ip) && IPAddress.IsLoopback(ip));
    }
}
