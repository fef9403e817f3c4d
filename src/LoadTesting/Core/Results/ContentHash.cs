using System.Security.Cryptography;

namespace LoadTesting.Core.Results;

/// <summary>
/// Identity of content, for <see cref="ScenarioResult.DefinitionHash"/> and <see cref="EnvironmentInfo.Fingerprint"/>.
/// </summary>
public static class ContentHash
{
    /// <summary>
    /// SHA-256 of the parts in order, each in UTF-8 and preceded by its length in bytes, as 64 lower-case hexadecimal
    /// digits.
    /// </summary>
    public static string Of(params IEnumerable<string> parts)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        foreach (var part in parts)
        {
            var bytes = Encoding.UTF8.GetBytes(part);
            // The length keeps ("ab", "c") and ("a", "bc") apart.
            hash.AppendData(BitConverter.GetBytes((long)bytes.Length));
            hash.AppendData(bytes);
        }

        return Convert.ToHexStringLower(hash.GetHashAndReset());
    }
}
