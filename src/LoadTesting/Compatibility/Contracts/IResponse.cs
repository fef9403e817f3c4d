using BuiltIn = LoadTesting.Core.Load;

namespace LoadTesting.Contracts;

/// <summary>
/// How a step or an iteration ended: a response of the built-in API, which the engine records as it is.
/// </summary>
public interface IResponse : BuiltIn.IResponse
{
    /// <summary>What is recorded in place of the measured time, milliseconds; 0 for the measured time.</summary>
    double LatencyMs => 0;

    long? BuiltIn.IResponse.EndTimestamp => null;
}
