namespace Workflow.Engine.Diagnostics;

internal sealed class Count
{
    private long _value;

    public long Value => Interlocked.Read(ref _value);
    public void Add(long more) => Interlocked.Add(ref _value, more);
}
