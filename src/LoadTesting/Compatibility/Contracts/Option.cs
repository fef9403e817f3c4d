namespace LoadTesting.Contracts;

/// <summary>An optional value; without a value the reference is null.</summary>
public sealed class Option<T>(T value)
{
    public T Value { get; } = value;

    public static Option<T> None => null;

    public static Option<T> Some(T value) => new(value);

    public override string ToString() => $"Some({Value})";
}
