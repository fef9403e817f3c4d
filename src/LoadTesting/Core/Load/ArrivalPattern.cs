namespace LoadTesting.Core.Load;

/// <summary>How the arrivals of an open model are spread.</summary>
public enum ArrivalPattern
{
    /// <summary>The same gap between any two.</summary>
    Even,

    /// <summary>A Poisson process: exponentially distributed gaps from a stored seed.</summary>
    Poisson,
}
