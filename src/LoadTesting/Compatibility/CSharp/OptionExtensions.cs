using LoadTesting.Contracts;

namespace LoadTesting.CSharp;

/// <summary>Whether a payload is there.</summary>
public static class OptionExtensions
{
    public static bool IsSome<T>(this Option<T> option) => option is not null;

    public static bool IsNone<T>(this Option<T> option) => option is null;
}
