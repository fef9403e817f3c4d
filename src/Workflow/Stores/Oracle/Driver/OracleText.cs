namespace Workflow.Stores.Oracle.Driver;

/// <summary>Ids and instants as the statements take them in text.</summary>
internal static class OracleText
{
    private const string InstantForm = "yyyy-MM-dd'T'HH:mm:ss.fffffff";

    /// <summary>32 hexadecimal digits in the order of the bytes of the RAW, which sorts as the id does.</summary>
    public static string Of(Guid id) => id.ToString("N").ToUpperInvariant();

    /// <summary>UTC with seven fractional digits, as <c>YYYY-MM-DD"T"HH24:MI:SS.FF</c> reads it.</summary>
    public static string Of(DateTimeOffset instant) =>
        instant.UtcDateTime.ToString(InstantForm, CultureInfo.InvariantCulture);
}
