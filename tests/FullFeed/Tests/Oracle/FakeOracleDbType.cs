namespace FullFeed.Tests.Oracle;

/// <summary>Two of the driver's types.</summary>
internal enum FakeOracleDbType
{
    Varchar2,
    Clob,
}
