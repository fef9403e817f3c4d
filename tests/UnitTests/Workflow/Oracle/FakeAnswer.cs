using System.Data;

namespace UnitTests.Workflow.Oracle;

/// <summary>What the server answers.</summary>
internal sealed record FakeAnswer
{
    public IReadOnlyDictionary<string, object?> Outputs { get; init; } = new Dictionary<string, object?>();

    /// <summary>
    /// Rows, each with values of the types that the driver gives: byte arrays for RAW, dates without a kind for
    /// instants.
    /// </summary>
    public IReadOnlyList<object?[]> Rows { get; init; } = [];

    public Exception? Error { get; init; }

    /// <summary>Never answers.</summary>
    public bool Hangs { get; init; }

    public static FakeAnswer Row(params object?[] values) => new() { Rows = [values] };

    public static FakeAnswer Failing(int number) => new() { Error = FakeOracle.Error(number) };

    public DataTableReader Read()
    {
        var table = new DataTable();
        for (var column = 0; column < (Rows.Count == 0 ? 0 : Rows[0].Length); column++)
        {
            table.Columns.Add(
                $"c{column}",
                Rows.Select(row => row[column]?.GetType()).FirstOrDefault(type => type is not null) ?? typeof(string));
        }

        foreach (var row in Rows)
        {
            table.Rows.Add(Array.ConvertAll(row, value => value ?? DBNull.Value));
        }

        return table.CreateDataReader();
    }
}
