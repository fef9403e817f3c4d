using System.Text.RegularExpressions;
using PerformanceTesting.Subjects;

namespace IntegrationTests.Shared.Faults;

/// <summary>
/// A regression on purpose, to see that a gate or a verdict finds it: longer flushes, flushes that grow longer, a
/// database that freezes, one more commit, one more query or more processor time for each workflow, a completion that
/// no consumer gets or that one gets twice, a start sent twice.
/// </summary>
/// <param name="Kind">Which of them.</param>
/// <param name="Share">How much longer a flush takes, as a share; 0 for the others.</param>
/// <param name="Work">Processor time that each workflow takes in addition; zero for the others.</param>
public sealed partial record Injection(InjectionKind Kind, double Share = 0, TimeSpan Work = default) : IFaultInjection
{
    /// <summary>Reads <c>delay:+10%</c>, <c>work:+50us</c>, or another kind by its name; else null.</summary>
    public static Injection? Parse(string value)
    {
        ArgumentNullException.ThrowIfNull(value);
        if (DelayPattern().Match(value.Trim()) is { Success: true } delay)
        {
            return new Injection(
                InjectionKind.Delay, int.Parse(delay.Groups[1].Value, CultureInfo.InvariantCulture) / 100.0);
        }

        if (WorkPattern().Match(value.Trim()) is { Success: true } work)
        {
            return new Injection(
                InjectionKind.Work,
                Work: TimeSpan.FromMicroseconds(int.Parse(work.Groups[1].Value, CultureInfo.InvariantCulture)));
        }

        var kind =
            Enum.GetValues<InjectionKind>().Except([InjectionKind.Delay, InjectionKind.Work]).Cast<InjectionKind?>()
            .FirstOrDefault(kind => string.Equals($"{kind}", value.Trim(), StringComparison.OrdinalIgnoreCase));
        return kind is null ? null : new Injection(kind.Value);
    }

    public string Name => Kind switch
    {
        InjectionKind.Delay => string.Create(CultureInfo.InvariantCulture, $"delay:+{Share:0%}"),
        InjectionKind.Work => string.Create(CultureInfo.InvariantCulture, $"work:+{Work.TotalMicroseconds:0}us"),
        _ => Kind.ToString().ToLowerInvariant(),
    };

    public bool IsInStore => Kind is not (InjectionKind.Lost or InjectionKind.Duplicate or InjectionKind.Leak);

    public IPlantedFault Plant() => new PlantedInjection(this);
    public override string ToString() => Name;

    [GeneratedRegex(@"^delay:\+([1-9][0-9]{0,2})%$", RegexOptions.IgnoreCase)]
    private static partial Regex DelayPattern();

    [GeneratedRegex(@"^work:\+([1-9][0-9]{0,5})us$", RegexOptions.IgnoreCase)]
    private static partial Regex WorkPattern();
}

/// <summary>What an <see cref="Injection"/> does.</summary>
public enum InjectionKind
{
    /// <summary>Every flush takes a share longer.</summary>
    Delay,

    /// <summary>One more transaction with a new id for each workflow that is started.</summary>
    Commit,

    /// <summary>One more statement for each workflow that is started.</summary>
    Query,

    /// <summary>One completion reaches no consumer.</summary>
    Lost,

    /// <summary>One completion reaches its consumer a second time, half a second later.</summary>
    Duplicate,

    /// <summary>One start is sent twice: the second instance gets no signal and stays.</summary>
    Leak,

    /// <summary>The database answers no flush for 1.4 s, once.</summary>
    Freeze,

    /// <summary>Every flush takes a little longer than the one before.</summary>
    Slower,

    /// <summary>Every workflow that is started takes more processor time.</summary>
    Work,
}
