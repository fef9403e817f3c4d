using System.Security.Cryptography;
using CsvHelper;
using CsvHelper.Configuration;
using Foundation;
using LoadTesting.Running;

namespace LoadTesting.Data;

/// <summary>Loads and makes data.</summary>
public static class Data
{
    /// <summary>The rows of a CSV file whose first line names the properties.</summary>
    /// <param name="path">A file or a URL.</param>
    /// <param name="configuration">How it is written; null for commas and the invariant culture.</param>
    public static T[] LoadCsv<T>(string path, CsvConfiguration configuration = null)
    {
        using var text = new StringReader(SourceText.Read(path));
        using var csv = new CsvReader(text, configuration ?? new CsvConfiguration(CultureInfo.InvariantCulture));
        return [.. csv.GetRecords<T>()];
    }

    /// <summary>What a JSON file holds.</summary>
    /// <param name="path">A file or a URL.</param>
    /// <param name="options">How it is written; null for the names of the properties as they are.</param>
    /// <exception cref="JsonException">The JSON is invalid; the message names the file and the position.</exception>
    public static T LoadJson<T>(string path, JsonSerializerOptions options = null)
    {
        var text = SourceText.Read(path);
        try
        {
            return JsonSerializer.Deserialize<T>(text, options);
        }
        catch (JsonException exception)
        {
            throw new JsonException(
                $"{path}: {UserMessage.Of(exception)}", exception.Path, exception.LineNumber,
                exception.BytePositionInLine, exception);
        }
    }

    /// <summary>Random bytes.</summary>
    /// <param name="sizeInBytes">How many.</param>
    /// <param name="seed">The same bytes for the same seed; null for others each time.</param>
    public static byte[] GenerateRandomBytes(int sizeInBytes, int? seed = null)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeInBytes);
        var bytes = new byte[sizeInBytes];
        Seeded(seed).NextBytes(bytes);
        return bytes;
    }

    internal static Random Seeded(int? seed) => new(seed ?? RandomNumberGenerator.GetInt32(int.MaxValue));
}
