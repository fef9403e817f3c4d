namespace LoadTesting.Core.Results;

/// <summary>How one resource changed over a soak: the slope of Theil and Sen over windows, with its 99 % interval.</summary>
public sealed record LeakResult
{
    /// <summary>The resource, e.g. <c>workingSet</c>.</summary>
    public required string Name { get; init; }

    /// <summary>Its unit, e.g. <c>bytes</c>.</summary>
    public required string Unit { get; init; }

    /// <summary>Samples taken.</summary>
    public required int Samples { get; init; }

    /// <summary>Time that the windows span, seconds.</summary>
    public required double SpanSeconds { get; init; }

    /// <summary>The line at the beginning of the span.</summary>
    public required double Start { get; init; }

    /// <summary>Growth along the line over the span; negative where it shrank.</summary>
    public required double Growth { get; init; }

    /// <summary>Lower end of the growth's 99 % interval.</summary>
    public required double GrowthLow { get; init; }

    /// <summary>Upper end of the growth's 99 % interval.</summary>
    public required double GrowthHigh { get; init; }

    /// <summary>Growth that is allowed: a tenth of the start, or the resource's own floor if that is more.</summary>
    public required double Limit { get; init; }

    /// <summary>Whether it grew beyond the limit and the interval leaves 0 out.</summary>
    public required bool Leaks { get; init; }
}
