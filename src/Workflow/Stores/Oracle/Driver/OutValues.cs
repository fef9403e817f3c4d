using System.Data;
using System.Data.Common;

namespace Workflow.Stores.Oracle.Driver;

/// <summary>What a block returned in its out parameters.</summary>
internal sealed class OutValues
{
    private readonly Dictionary<string, object?> _values = new(StringComparer.Ordinal);

    public void Take(DbParameterCollection parameters)
    {
        foreach (DbParameter parameter in parameters)
        {
            if (parameter.Direction == ParameterDirection.Output)
            {
                _values[parameter.ParameterName] = parameter.Value is DBNull ? null : parameter.Value;
            }
        }
    }

    public long Number(string name) =>
        OptionalNumber(name) ?? throw new InvalidOperationException($"The block returned no {name}.");

    public long? OptionalNumber(string name) =>
        _values[name] is { } value ? Convert.ToInt64(value, CultureInfo.InvariantCulture) : null;

    public string? Text(string name) => _values[name]?.ToString() is { Length: > 0 } text ? text : null;
}
