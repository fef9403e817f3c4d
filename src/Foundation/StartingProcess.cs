namespace Foundation;

/// <summary>A process that started this one, directly or through others.</summary>
/// <param name="Name">The name of the program, shortened by the kernel.</param>
public sealed record StartingProcess(string Name, ProcessOwner Process);
