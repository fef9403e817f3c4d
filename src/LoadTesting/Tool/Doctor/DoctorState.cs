namespace LoadTesting.Tool.Doctor;

internal enum DoctorState
{
    /// <summary>Nothing to do.</summary>
    Ok,

    /// <summary>Measuring works, but less, or less exactly.</summary>
    Warning,

    /// <summary>Measuring does not work, or its figures mean nothing.</summary>
    Failure,
}
