namespace Workflow.Engine.Residency;

/// <summary>
/// A command needs an instance of which only the store knows whether it is dormant or has ended. The lane undoes the
/// command, reads what <see cref="DormancyHandler"/> has noted, and repeats it.
/// </summary>
internal sealed class StoreReadNeededException(string what)
    : Exception($"The command needs {what}, which only the store may have.");
