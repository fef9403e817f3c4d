namespace LoadTesting.Core.Load;

/// <summary>A load engine of elsewhere that keeps figures of its own on steps.</summary>
public interface IStepHost
{
    /// <summary>Calls <paramref name="run"/> exactly once and hears how it ended. Must not throw because of a failure: what follows from one is
    /// decided by the scenario.</summary>
    /// <param name="name">The step.</param>
    /// <param name="run">Its body; never throws.</param>
    Task RunAsync(string name, Func<Task<IResponse>> run);
}
