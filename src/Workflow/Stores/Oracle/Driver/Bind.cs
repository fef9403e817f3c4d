using System.Data;
using System.Data.Common;

namespace Workflow.Stores.Oracle.Driver;

/// <summary>A value for a bind variable, by its name in the statement without the colon.</summary>
internal readonly record struct Bind
{
    private const int LongestText = 8_000;

    private readonly DbType _type;
    private readonly object? _value;
    private readonly bool _isOutput;

    private Bind(string name, DbType type, object? value, bool isOutput = false, bool isDocument = false)
    {
        Name = name;
        _type = type;
        _value = value;
        _isOutput = isOutput;
        IsDocument = isDocument;
    }

    public string Name { get; }

    public bool IsNull => _value is null && !_isOutput;

    /// <summary>Whether it is bound as a CLOB.</summary>
    public bool IsDocument { get; }

    /// <summary>Text of at most 4,000 bytes.</summary>
    public static Bind Text(string name, string? value) => new(name, DbType.String, value);

    /// <summary>Text of any length.</summary>
    public static Bind Document(string name, string value) => new(name, DbType.String, value, isDocument: true);

    public static Bind Number(string name, long? value) => new(name, DbType.Int64, value);

    public static Bind Id(string name, Guid? value) => new(name, DbType.Binary, value?.ToByteArray(bigEndian: true));

    /// <summary>
    /// An instant as text in a fixed form: neither the driver's conversions nor the session's time zone come into it.
    /// </summary>
    public static Bind Instant(string name, DateTimeOffset value) => Text(name, OracleText.Of(value));

    public static Bind OutNumber(string name) => new(name, DbType.Int64, value: null, isOutput: true);

    /// <summary>Text of at most 8,000 characters.</summary>
    public static Bind OutText(string name) => new(name, DbType.String, value: null, isOutput: true);

    public void Fill(DbParameter parameter)
    {
        parameter.ParameterName = Name;
        parameter.DbType = _type;
        parameter.Direction = _isOutput ? ParameterDirection.Output : ParameterDirection.Input;
        if (_isOutput && _type == DbType.String)
        {
            parameter.Size = LongestText;
        }

        parameter.Value = _value ?? DBNull.Value;
    }
}
