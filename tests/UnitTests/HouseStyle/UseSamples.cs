namespace UnitTests.HouseStyle;

// One type for each way to use another one, and one that uses them all.
internal abstract class UsesAll<T>(UsedPrimary primary) : UsedBase, IUsed
    where T : UsedConstraint
{
    [Used]
    public abstract UsedReturn Signature(UsedParameter?[] parameter);

    public static IEnumerable<string> Closures() => new[] { 1 }.Select(number => $"{number} {typeof(UsedInClosure)}");

    public static async IAsyncEnumerable<UsedArgument?> StateMachine()
    {
        await Task.Yield();
        yield return UsedStatic.Made as UsedArgument;
    }

    public static bool Branches(int number)
    {
        try
        {
            return number switch { 0 => true, 1 => false, 2 => true, 3 => number.Equals(4), _ => Generic(number) is UsedPattern };
        }
        catch (UsedException)
        {
            return false;
        }
    }

    public override string ToString() => $"{primary}";
    private static object? Generic(int number) => Enumerable.Repeat(default(object), number).OfType<UsedByMethod>().FirstOrDefault();
}

internal class UsedBase;

internal interface IUsed;

internal class UsedConstraint;

internal sealed class UsedPrimary;

[AttributeUsage(AttributeTargets.Method)]
internal sealed class UsedAttribute : Attribute;

internal sealed class UsedReturn;

internal sealed class UsedParameter;

internal sealed class UsedInClosure;

internal sealed class UsedArgument;

internal sealed class UsedPattern;

internal sealed class UsedByMethod;

internal sealed class UsedException : Exception;

internal static class UsedStatic
{
    public static object? Made => null;
}
