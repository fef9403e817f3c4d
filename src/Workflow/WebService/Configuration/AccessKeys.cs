using System.Net;
using System.Security.Cryptography;
using System.Text.RegularExpressions;

namespace Workflow.WebService.Configuration;

/// <summary>What a request may do.</summary>
internal enum AccessLevel
{
    None,

    /// <summary>GET and HEAD.</summary>
    Read,

    Full,
}

/// <summary>A key of the service, which is not kept itself.</summary>
/// <param name="Hash">Its SHA-256 hash, by which it is recognised.</param>
/// <param name="Level">What it allows.</param>
/// <param name="SigningKey">
/// Signs the sessions that begin with it: derived from the key, so that every node that is configured with it has the same. Of a key of
/// which only the hash is configured it is random, since who reads the configuration could make sessions otherwise.
/// </param>
internal sealed record AccessKey(byte[] Hash, AccessLevel Level, byte[] SigningKey);

/// <summary>The API keys of the service. None of them is kept itself.</summary>
internal sealed partial class AccessKeys
{
    public static readonly AccessKeys None = new([]);

    private const int SigningKeyBytes = 32;

    // Who has a session's cookie could try keys against it. A key is random and long, unlike a password; this takes some 50 ms at start.
    private const int Derivations = 100_000;

    private static readonly byte[] Purpose = "workflow /ui session"u8.ToArray();

    private readonly AccessKey[] _keys;

    private AccessKeys(AccessKey[] keys) => _keys = keys;

    /// <summary>All of them.</summary>
    public IReadOnlyList<AccessKey> All => _keys;

    /// <summary>Without keys nothing is asked for.</summary>
    public bool AreRequired => _keys.Length > 0;

    /// <summary>
    /// Reads keys of the form <c>[full:|read:]key</c> or <c>[full:|read:]sha256:hash</c>; without a level a key is full.
    /// </summary>
    /// <param name="entries">The entries of <c>Access:Keys</c>.</param>
    /// <param name="refuse">Takes what is wrong with them. No key is quoted: entries are named by their position.</param>
    public static AccessKeys Read(IReadOnlyList<string> entries, Action<string> refuse)
    {
        var keys = new List<AccessKey>();
        for (var i = 0; i < entries.Count; i++)
        {
            var match = Entry().Match(entries[i]);
            if (!match.Success)
            {
                refuse($"Access:Keys:{i} is not a key. Use [full:|read:] and then visible ASCII characters without spaces, or sha256: and "
                    + "64 hexadecimal digits.");
                continue;
            }

            var level = match.Groups["level"].Value == "read:" ? AccessLevel.Read : AccessLevel.Full;
            var (hash, signingKey) = match.Groups["hash"] is { Success: true, Value: var digits }
                ? (Convert.FromHexString(digits), RandomNumberGenerator.GetBytes(SigningKeyBytes))
                : (Hash(match.Groups["key"].Value), SigningKeyOf(match.Groups["key"].Value));
            if (keys.Any(key => key.Hash.AsSpan().SequenceEqual(hash)))
            {
                refuse($"Access:Keys:{i} is a key that an earlier entry has already. Remove one of them.");
            }

            keys.Add(new(hash, level, signingKey));
        }

        return new([.. keys]);
    }

    /// <summary>What a presented key allows.</summary>
    public AccessLevel LevelOf(string? presented) => Find(presented)?.Level ?? AccessLevel.None;

    /// <summary>
    /// The key that was presented; null where it is none. Every key is compared in constant time, so that the time says nothing about them.
    /// </summary>
    public AccessKey? Find(string? presented)
    {
        if (string.IsNullOrEmpty(presented))
        {
            return null;
        }

        var hash = Hash(presented);
        AccessKey? found = null;
        foreach (var key in _keys)
        {
            if (CryptographicOperations.FixedTimeEquals(hash, key.Hash))
            {
                found = key;
            }
        }

        return found;
    }

    private static byte[] SigningKeyOf(string key) => Rfc2898DeriveBytes.Pbkdf2(
        Encoding.UTF8.GetBytes(key), Purpose, Derivations, HashAlgorithmName.SHA256, SigningKeyBytes);

    private static byte[] Hash(string key) => SHA256.HashData(Encoding.UTF8.GetBytes(key));

    [GeneratedRegex("^(?>(?<level>full:|read:)?)(sha256:(?<hash>[0-9A-Fa-f]{64})|(?!sha256:)(?<key>[!-~]+))$")]
    private static partial Regex Entry();
}

/// <summary>Where the service listens, as it is configured.</summary>
internal static class ListenAddresses
{
    /// <summary>The configured addresses that other machines may reach.</summary>
    public static IEnumerable<string> OffLoopback(IConfiguration configuration)
    {
        var urls = Split(configuration["urls"]).Concat(
            configuration.GetSection("Kestrel:Endpoints").GetChildren().Select(endpoint => endpoint["Url"]).OfType<string>());
        // A port without a host is open on every address.
        var ports = new[] { "http_ports", "https_ports" }.SelectMany(key => Split(configuration[key]).Select(port => $"{key}={port}"));
        return urls.Where(url => !IsLoopback(url)).Concat(ports);
    }

    /// <summary>
    /// The address at which others reach what listens on these, plain HTTP first; null where every one stands for all addresses of the
    /// machine.
    /// </summary>
    public static Uri? Reachable(IEnumerable<string> urls) => urls
        .Select(url => Uri.TryCreate(url, UriKind.Absolute, out var address) ? address : null).OfType<Uri>()
        .Where(address => IPAddress.TryParse(address.DnsSafeHost, out var ip)
            ? !ip.Equals(IPAddress.Any) && !ip.Equals(IPAddress.IPv6Any)
            : address.DnsSafeHost is not ("+" or "*" or "unix" or "pipe"))
        .OrderBy(address => address.Scheme == Uri.UriSchemeHttp ? 0 : 1).FirstOrDefault();

    private static string[] Split(string? list) =>
        (list ?? "").Split(';', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);

    /// <summary>By the parser that Kestrel itself goes by: what that does not read, or binds to every address, is none.</summary>
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

        return address.IsUnixPipe || address.IsNamedPipe || address.Host.Equals("localhost", StringComparison.OrdinalIgnoreCase)
            || (IPAddress.TryParse(address.Host, out var ip) && IPAddress.IsLoopback(ip));
    }
}
