using System.Security.Cryptography;
using System.Text.RegularExpressions;

namespace Workflow.WebService.Configuration;

/// <summary>The API keys of the service. Only their hashes are kept.</summary>
internal sealed partial class AccessKeys
{
    public static readonly AccessKeys None = new([]);

    private const int SigningKeyBytes = 32;

    // Who has a session's cookie could try keys against it. A key is random and long, unlike a password; this takes
    // some 50 ms at start.
    private const int Derivations = 100_000;

    private static readonly byte[] Purpose = "workflow /ui session"u8.ToArray();

    private readonly AccessKey[] _keys;

    private AccessKeys(AccessKey[] keys) => _keys = keys;

    public IReadOnlyList<AccessKey> All => _keys;

    /// <summary>Whether requests need a key; false if none is configured.</summary>
    public bool AreRequired => _keys.Length > 0;

    /// <summary>
    /// Reads keys of the form <c>[full:|read:]key</c> or <c>[full:|read:]sha256:hash</c>; without a level a key is
    /// full.
    /// </summary>
    /// <param name="entries">The entries of <c>Access:Keys</c>.</param>
    /// <param name="refuse">
    /// Takes what is wrong with them. No key is quoted: entries are named by their position.
    /// </param>
    public static AccessKeys Read(IReadOnlyList<string> entries, Action<string> refuse)
    {
        var keys = new List<AccessKey>();
        for (var i = 0; i < entries.Count; i++)
        {
            var match = Entry().Match(entries[i]);
            if (!match.Success)
            {
                refuse($"Access:Keys:{i} is not a key. Use [full:|read:] and then visible ASCII characters without "
                    + "spaces, or sha256: and 64 hexadecimal digits.");
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

    /// <summary>Finds a presented key; null if it is unknown. Every key is compared in constant time.</summary>
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
