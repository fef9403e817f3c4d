namespace LoadTesting.Core.Load.Simulations;

/// <summary>The distribution of arrivals in an open model.</summary>
public enum ArrivalPattern
{
    /// <summary>Equal gaps.</summary>
    Even,

    /// <summary>A Poisson process: exponentially distributed gaps from a stored seed.</summary>
    Poisson,
}
