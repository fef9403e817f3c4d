namespace LoadTesting.Contracts.Stats;

public enum ReportFormat
{
    Txt = 0,
    Html = 1,
    Csv = 2,
    Md = 3,
}
