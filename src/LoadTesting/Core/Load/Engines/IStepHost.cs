namespace LoadTesting.Core.Load.Engines;

/// <summary>An external load engine that keeps its own statistics of steps.</summary>
public interface IStepHost
{
    /// <summary>
    /// Calls <paramref name="run"/> exactly once and observes its response. Must not throw because of a failure: the
    /// scenario decides what follows from it.
    /// </summary>
    /// <param name="name">The step.</param>
    /// <param name="run">Its body; never throws.</param>
    Task RunAsync(string name, Func<Task<IResponse>> run);
}
