namespace CompatibilityTests.Examples;

public class StoreSettings
{
    public int RecordsCount { get; set; }
    public int RecordSize { get; set; }
}
