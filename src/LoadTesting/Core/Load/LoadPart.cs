namespace LoadTesting.Core.Load;

/// <summary>One of several processes that share a load: each drives its share and accounts for its own keys.</summary>
public sealed record LoadPart
{
    private const int Most = 64;

    /// <exception cref="ArgumentException">The part is out of range; the message gives the range.</exception>
    public LoadPart(int index, int of)
    {
        if (of is < 1 or > Most || index < 1 || index > of)
        {
            throw new ArgumentException(
                $"There is no part {index} of {of}: a load has 1 to {Most} parts, numbered from 1, such as 2/4.");
        }

        (Index, Of) = (index, of);
    }

    /// <summary>Number of the part, from 1.</summary>
    public int Index { get; }

    /// <summary>Number of parts, 1 to 64.</summary>
    public int Of { get; }

    /// <summary>Prefix of its operations' keys. Parts also receive events of other parts' operations.</summary>
    public string KeyPrefix => PrefixOf(Index);

    /// <summary>Reads <c>2/4</c>.</summary>
    /// <exception cref="ArgumentException">The part is out of range.</exception>
    public static LoadPart Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return text.Split('/') is [var index, var of]
            && int.TryParse(index, NumberStyles.None, CultureInfo.InvariantCulture, out var number)
            && int.TryParse(of, NumberStyles.None, CultureInfo.InvariantCulture, out var all)
            ? new(number, all)
            : throw new ArgumentException(
                $"'{text}' names no part of a load. Give its number and how many there are, such as 2/4.");
    }

    /// <summary>
    /// Whether this part accounts for a key: for its own, and the first part also for keys without a part, so that each
    /// key has one owner.
    /// </summary>
    public bool Owns(string key)
    {
        ArgumentNullException.ThrowIfNull(key);
        return key.StartsWith(KeyPrefix, StringComparison.Ordinal)
            || (Index == 1
                && !Enumerable.Range(1, Of).Any(part => key.StartsWith(PrefixOf(part), StringComparison.Ordinal)));
    }

    public override string ToString() => $"{Index}/{Of}";

    private static string PrefixOf(int index) => string.Create(CultureInfo.InvariantCulture, $"part{index}-");
}
