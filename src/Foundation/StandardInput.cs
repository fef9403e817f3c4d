namespace Foundation;

/// <summary>Ties the life of this process to the process at the other end of its standard input.</summary>
public static class StandardInput
{
    /// <summary>Calls back once when the input ends: the other process closed it or has ended.</summary>
    public static void OnEnd(Action ended) => new Thread(() =>
    {
        while (Console.In.Read() >= 0)
        {
            // The content has no meaning.
        }

        ended();
    })
    { IsBackground = true, Name = "input" }.Start();
}
