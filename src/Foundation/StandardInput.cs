namespace Foundation;

/// <summary>Ties a process to the one that holds its standard input.</summary>
public static class StandardInput
{
    /// <summary>Calls back once the input ends: its other end was closed, also by the end of the process that holds it.</summary>
    public static void OnEnd(Action ended) => new Thread(() =>
    {
        while (Console.In.Read() >= 0)
        {
            // What is written there means nothing.
        }

        ended();
    })
    { IsBackground = true, Name = "input" }.Start();
}
