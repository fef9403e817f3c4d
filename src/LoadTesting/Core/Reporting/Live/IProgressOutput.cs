namespace LoadTesting.Core.Reporting.Live;

/// <summary>
/// An output that shows or stores the progress of a run. Called by one thread at a time, at most once a second.
/// </summary>
public interface IProgressOutput : IDisposable
{
    /// <summary>Shows the current state of the run.</summary>
    /// <exception cref="IOException">The output is no longer available; it is not called again.</exception>
    void Show(RunProgressSnapshot run);
}
